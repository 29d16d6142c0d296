import { randomUUID } from 'node:crypto';
import type { LocalOutbox } from './outbox.ts';
import { RejectedRequest } from './rejected-request.ts';

const charactersMax = 1_600;
const senderId = /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/;

/** Publish of SNS to a phone number (the Query protocol: form request, XML response). */
export function publish(outbox: LocalOutbox, sent: string): string {
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
export const errorXml = (code: string, message: string, fault: 'Sender' | 'Receiver') =>
  `<ErrorResponse xmlns="${namespace}"><Error><Type>${fault}</Type><Code>${code}</Code><Message>${escaped(message)}</Message></Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`;

const escaped = (text: string) => text.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
