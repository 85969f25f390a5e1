"""The claims of the lecture and of texts about it, paraphrased, in one file for each subject."""
