"""What assistants ask, which answer questions with numbers: tools with data as their results."""
