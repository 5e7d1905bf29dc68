"""Network interfaces that carry storage."""

OUTPUTS = {
    "ethtool": "iosonde.layers.link.printed_ethtool:EthtoolOutput",
    "ethtool_stats": "iosonde.layers.link.printed_ethtool_stats:EthtoolStatistics",
    "ifconfig": "iosonde.layers.link.printed_ifconfig:Ifconfig",
    "ip_lines": "iosonde.layers.link.printed_ip_lines:IpLines",
    "ip_link": "iosonde.layers.link.printed_ip:IpLink",
}
RULES = {
    "link": "iosonde.layers.link.findings:RULES",
    "mtus": "iosonde.layers.link.findings_mtus:RULES",
}
