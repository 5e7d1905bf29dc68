"""NFS: server, exports, clients and their mounts."""
