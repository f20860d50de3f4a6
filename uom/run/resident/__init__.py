"""Programs of ours that stay and are asked again and again, each over a unix socket, shut in where that is possible."""
