"""Range recording and quantisation of activations."""
