"""Tables, charts and pages made from stored records, one file per format."""
