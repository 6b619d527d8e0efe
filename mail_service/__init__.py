"""The reference mail service (email-proxy): fills templates and hands each email to an SMTP server once."""
