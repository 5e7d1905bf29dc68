"""What mounted file systems share: mount options, how full they are, fstab."""
