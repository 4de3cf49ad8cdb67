"""The apps installed on the simulated phone, in the order of the home screen."""

from reproof.tiny.apps.app import App
from reproof.tiny.apps.calendar import Calendar
from reproof.tiny.apps.clock import Clock
from reproof.tiny.apps.contacts import Contacts
from reproof.tiny.apps.messages import Messages
from reproof.tiny.apps.music import Music
from reproof.tiny.apps.settings import Settings
from reproof.tiny.apps.shop import Shop
from reproof.tiny.apps.weather import Weather

INSTALLED: tuple[App, ...] = (
    Settings(),
    Clock(),
    Messages(),
    Shop(),
    Weather(),
    Music(),
    Calendar(),
    Contacts(),
)
APPS: dict[str, App] = {app.name: app for app in INSTALLED}
