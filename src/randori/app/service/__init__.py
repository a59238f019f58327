"""The service behind the page: rooms in which games are played, who may be met there, what is kept, and its JSON API."""
