"""Study, plan, trials and loops; what their figures say together."""
