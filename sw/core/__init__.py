"""Parts of every run: environments, hyper-parameters, backends and lockstep, checkpoints, folders, processes."""
