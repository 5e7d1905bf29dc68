"""What command lines in a text set, whichever technology they set it of."""
