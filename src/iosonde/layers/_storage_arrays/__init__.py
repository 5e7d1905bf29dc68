"""What storage arrays print on their own command lines: pools, volumes, drives and mirrors."""

OUTPUTS = {
    "ontap": "iosonde.layers._storage_arrays.printed_ontap:OntapTables",
    "ontap_df": "iosonde.layers._storage_arrays.printed_ontap_df:OntapDf",
    "ontap_raid": "iosonde.layers._storage_arrays.printed_ontap_raid:OntapRaid",
    "storage_virtualize": "iosonde.layers._storage_arrays.printed_virtualize:VirtualizeLists",
}
RULES = {
    "storage_arrays": "iosonde.layers._storage_arrays.findings:RULES",
}
