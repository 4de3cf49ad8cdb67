"""The words that goals and screens of the simulated phone are made of."""

TOGGLES = ("wifi", "bluetooth", "location", "dark", "silent", "saver", "hotspot", "rotate", "sync")
HOURS = tuple(str(hour) for hour in range(1, 13))
MINUTES = tuple(f"{minute:02d}" for minute in range(0, 60, 5))
PEOPLE = ("ana", "bob", "carl", "dina", "eve", "finn", "gus", "hana")
WORDS = (
    "hello", "yes", "no", "thanks", "later", "bye", "ok", "sorry",
    "wait", "great", "soon", "maybe", "sure", "welcome", "nice", "call",
)  # fmt: skip
TINTS = ("red", "green", "blue", "yellow", "orange", "purple", "pink", "black", "white")
QUANTITIES = ("1", "2", "3", "4", "5")
GENRES = ("jazz", "rock", "folk", "soul", "punk", "blues")
VOLUMES = ("1", "2", "3", "4", "5", "6")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
EVENTS = ("gym", "work", "lunch", "dentist", "trip", "party", "yoga", "choir", "rest")
CITIES = (
    "oslo", "rome", "cairo", "lima", "tokyo", "delhi",
    "paris", "quito", "seoul", "dakar", "perth", "miami",
)  # fmt: skip
WHEN = ("today", "tomorrow", "weekend")
SKIES = ("sun", "rain", "snow", "cloud")
THINGS = ("hat", "car", "door")
