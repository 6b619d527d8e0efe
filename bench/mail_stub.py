"""A mail service that accepts everything: `python -m bench.mail_stub` prints its port."""

from bench.stub import serve

if __name__ == "__main__":
    serve(lambda _: b'{"messageId":"<bench@stub>","duplicate":false}')
