import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { log } from '../../../shared/core/log.ts';
import { region } from '../runtime/account.ts';
import { isFullDisk } from '../runtime/full-disk.ts';
import { close, httpServer, listen } from '../runtime/server.ts';
import { putEvents } from './event-bridge.ts';
import { type LocalOutbox, openOutbox } from './outbox.ts';
import { RejectedRequest } from './rejected-request.ts';

type Headers = Record<string, string>;
interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

/** SES, SNS and EventBridge on one port: what they are given ends in the outbox. */
export async function startMessages(directory: string | undefined) {
  const outbox = openOutbox(directory);
  const server = httpServer(async (request, response) => {
    const protocol = protocolOf(request);
    const { status, headers, body } = await text(request)
      .then((sent) => protocol.answer(sent))
      .catch((error) => failure(error, protocol));
    response.writeHead(status, headers).end(body);
  });

  /** Distinguishes the services by their protocols. */
  function protocolOf({ method, url, headers }: IncomingMessage): Protocol {
    const target = headers['x-amz-target'];
    if (target !== undefined)
      return json('application/x-amz-json-1.1', (sent) => putEvents(outbox, String(target), sent));
    if (headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
      return {
        answer: (sent) => ({ status: 200, headers: xml, body: publish(outbox, sent) }),
        refuse: refuseInXml,
      };
    }
    return json('application/json', (sent) => {
      if (method === 'POST' && url === '/v2/email/outbound-emails') return handleSendEmail(outbox, sent);
      throw new RejectedRequest(
        'UnknownOperationException',
        `This stand-in does not implement the operation: ${method} ${url}`,
      );
    });
  }

  const port = await listen(server, 0, '127.0.0.1');
  return {
    endpoint: `http://127.0.0.1:${port}`,
    routes: outbox.routes,
    async stop() {
      await close(server);
      outbox.close();
    },
  };
}

interface Protocol {
  answer: (sent: string) => Answer;
  refuse: (status: number, code: string, message: string) => Answer;
}

const json = (type: string, perform: (sent: string) => object): Protocol => ({
  answer: (sent) => ({ status: 200, headers: { 'content-type': type }, body: JSON.stringify(perform(sent)) }),
  refuse: (status, code, message) => ({
    status,
    headers: { 'content-type': type, 'x-amzn-errortype': code },
    body: JSON.stringify({ __type: code, message }),
  }),
});

const xml = { 'content-type': 'text/xml' };
const refuseInXml: Protocol['refuse'] = (status, code, message) => ({
  status,
  headers: xml,
  body: errorXml(code, message, status < 500 ? 'Sender' : 'Receiver'),
});

function failure(error: unknown, { refuse }: Protocol): Answer {
  if (error instanceof RejectedRequest) return refuse(400, error.code, error.message);
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return refuse(400, 'BadRequestException', error.message);
  }
  log.error('The stand-in of SES, SNS and EventBridge failed', { error });
  return refuse(isFullDisk(error) ? 507 : 500, 'InternalFailure', 'Internal error');
}

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
function handleSendEmail(outbox: LocalOutbox, body: string): object {
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

const charactersMax = 1_600;
const senderId = /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/;

/** Publish of SNS to a phone number (the Query protocol: form request, XML response). */
function publish(outbox: LocalOutbox, sent: string): string {
  const form = new URLSearchParams(sent);
  const action = form.get('Action');
  if (action !== 'Publish')
    throw new RejectedRequest('InvalidAction', `This stand-in does not implement the operation: ${action}`);
  const [to, message] = [form.get('PhoneNumber'), form.get('Message')];
  if (!to || !/^\+[1-9]\d{1,14}$/.test(to)) {
    throw invalid(`PhoneNumber Reason: ${to} is not valid to publish to`);
  }
  if (!message) throw invalid('Empty message');
  if (message.length > charactersMax) throw invalid('Message too long');
  const attributes = attributesIn(form);
  const sender = attributes['AWS.SNS.SMS.SenderID'];
  if (sender !== undefined && !senderId.test(sender)) throw invalid('SenderID is not valid');
  const from = sender ?? attributes['AWS.MM.SMS.OriginationNumber'];
  const id = outbox.keep('sms', { from, to, message });
  return `<PublishResponse xmlns="${namespace}"><PublishResult><MessageId>${id}</MessageId></PublishResult>${metadata()}</PublishResponse>`;
}

const namespace = 'http://sns.amazonaws.com/doc/2010-03-31/';
const metadata = () => `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`;
const invalid = (reason: string) => new RejectedRequest('InvalidParameter', `Invalid parameter: ${reason}`);

/** `MessageAttributes.entry.<n>.Name` and its value. */
function attributesIn(form: URLSearchParams): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (let n = 1; form.has(`MessageAttributes.entry.${n}.Name`); n++) {
    const entry = (member: string) => form.get(`MessageAttributes.entry.${n}.${member}`) ?? '';
    attributes[entry('Name')] = entry('Value.StringValue');
  }
  return attributes;
}

/** An error in the format of the Query protocol. */
const errorXml = (code: string, message: string, fault: 'Sender' | 'Receiver') =>
  `<ErrorResponse xmlns="${namespace}"><Error><Type>${fault}</Type><Code>${code}</Code><Message>${escaped(message)}</Message></Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`;

const escaped = (text: string) => text.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
