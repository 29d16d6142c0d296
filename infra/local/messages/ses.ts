import * as z from 'zod';
import { region } from '../runtime/account.ts';
import type { LocalOutbox } from './outbox.ts';
import { RejectedRequest } from './rejected-request.ts';

const Text = z.object({ Data: z.string().min(1), Charset: z.string().optional() });
const Email = z.object({
  FromEmailAddress: z.string().min(1),
  Destination: z.object({ ToAddresses: z.array(z.string()).min(1) }),
  Content: z.object({
    Simple: z.object({
      Subject: Text,
      Body: z.object({ Html: Text.optional(), Text: Text.optional() }),
    }),
  }),
});

const recipientsMax = 50;
const printable = /^[\x20-\x7e]*$/;

/** Emulates SendEmail of SES v2 (REST JSON). Every sender counts as verified, except in `.invalid` domains. */
export function handleSendEmail(outbox: LocalOutbox, body: string): object {
  const email = Email.parse(JSON.parse(body));
  const { FromEmailAddress: from, Destination, Content } = email;
  const { Subject, Body } = Content.Simple;
  const addresses = [from, ...Destination.ToAddresses];
  if (Destination.ToAddresses.length > recipientsMax) {
    throw new RejectedRequest('BadRequestException', `Recipient count exceeds ${recipientsMax}.`);
  }
  for (const address of addresses.map(addressOf)) {
    if (!printable.test(address) || address.includes(' ')) {
      throw new RejectedRequest('BadRequestException', 'Local address contains control or whitespace');
    }
    if (!/^[^@]+@[^@]+$/.test(address))
      throw new RejectedRequest('BadRequestException', `Missing final '@domain'`);
  }
  if (/[\r\n]/.test(Subject.Data))
    throw new RejectedRequest('BadRequestException', 'Header contains line breaks');
  if (!Body.Html && !Body.Text) throw new RejectedRequest('BadRequestException', 'Missing body');
  if (addressOf(from).endsWith('.invalid')) {
    throw new RejectedRequest(
      'MessageRejected',
      `Email address is not verified. The following identities failed the check in region ${region.toUpperCase()}: ${addressOf(from)}`,
    );
  }
  return {
    MessageId: outbox.keep('email', {
      from,
      to: Destination.ToAddresses,
      subject: Subject.Data,
      html: Body.Html?.Data,
      text: Body.Text?.Data,
    }),
  };
}

const addressOf = (mailbox: string) => /<([^<>]*)>$/.exec(mailbox)?.[1] ?? mailbox;
