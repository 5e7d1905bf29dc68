"""What Gluster prints of its volumes, bricks and peers."""
