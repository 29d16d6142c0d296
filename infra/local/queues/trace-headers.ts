/**
 * Patches fauxqs: stores the X-Ray trace header of each request with the messages it sends, and returns it as their
 * system attribute `AWSTraceHeader`, as SQS does. Import it first.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const part = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);
const { SqsRouter } = await part('./sqs/sqsRouter.js');
const { SqsStore } = await part('./sqs/sqsStore.js');

interface Request {
  headers: Record<string, string | undefined>;
}
type MessageAttributes = Record<string, { DataType: string; StringValue?: string }>;
interface Received {
  Attributes?: Record<string, string>;
  MessageAttributes?: MessageAttributes;
}

/** Stored among the attributes of the message, which fauxqs keeps in its file. */
const attribute = 'AWSTraceHeader';
const traceHeader = new AsyncLocalStorage<string | undefined>();

const { createMessage } = SqsStore;
SqsStore.createMessage = (...parameters: unknown[]) => {
  const message: { messageAttributes: MessageAttributes } = createMessage(...parameters);
  const StringValue = traceHeader.getStore();
  if (StringValue !== undefined) {
    const added = { [attribute]: { DataType: 'String', StringValue } };
    message.messageAttributes = { ...message.messageAttributes, ...added };
  }
  return message;
};

const { handle } = SqsRouter.prototype;
SqsRouter.prototype.handle = async function (request: Request, reply: unknown) {
  const answer = await traceHeader.run(request.headers['x-amzn-trace-id'], () =>
    handle.call(this, request, reply),
  );
  for (const message of (answer as { Messages?: Received[] }).Messages ?? []) toSystemAttribute(message);
  return answer;
};

function toSystemAttribute(message: Received): void {
  const { [attribute]: header, ...rest } = message.MessageAttributes ?? {};
  if (!header?.StringValue) return;
  message.Attributes = { ...message.Attributes, [attribute]: header.StringValue };
  if (Object.keys(rest).length > 0) message.MessageAttributes = rest;
  else delete message.MessageAttributes;
}
