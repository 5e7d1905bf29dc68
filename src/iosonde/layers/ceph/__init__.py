"""Ceph, as far as the output of its tools says: the cluster's health, its OSDs and pools."""
