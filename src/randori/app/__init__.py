"""What people and programs meet: the command line, the page, the engine protocols."""
