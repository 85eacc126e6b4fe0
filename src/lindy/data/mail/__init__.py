"""Mail: raw messages to texts that every learner takes.

::

    eml, mbox, folders ──boxes──▶ bytes ──message──▶ Message (subject, body, headers, links, problems)
    a column of raw messages ──────▶┘                   └──words──▶ text: subject, body, words for what else was seen

Messages are not to be trusted. Whatever is in one, it is read in bounded time and memory (``message.LONGEST``), nothing
in it is run or fetched, and damage is counted and told, never raised.
"""

from __future__ import annotations

from lindy.data.mail.boxes import mail_column, read_mail
from lindy.data.mail.message import Message, read_message
from lindy.data.mail.words import HEADERS, MailWords, read_contacts

__all__ = ["HEADERS", "MailWords", "Message", "mail_column", "read_contacts", "read_mail", "read_message"]
