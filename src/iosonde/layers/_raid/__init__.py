"""What arrays share, whoever keeps them: md, LVM or a controller."""
