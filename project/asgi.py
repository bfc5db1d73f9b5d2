"""What the web server serves: Django for HTTP, the live view for WebSockets."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
http = get_asgi_application()

# Django must be set up before its rows can be imported.
from project.bodies import bound_bodies  # noqa: E402
from tasks_app.realtime.routing import websocket  # noqa: E402

# Here, since daphne imports this however it is started.
bound_bodies()

application = ProtocolTypeRouter({"http": http, "websocket": websocket})
