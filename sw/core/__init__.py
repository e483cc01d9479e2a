"""What every run needs: environments, hyper-parameters, backends and lockstep, checkpoints, folders, processes."""
