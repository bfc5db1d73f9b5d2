"""The parts of a Word document (Office Open XML), from the archive to Markdown."""
