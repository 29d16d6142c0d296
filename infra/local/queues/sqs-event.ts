import type { Message } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { region } from '../runtime/account.ts';

/** Converts received messages to the event of Lambda's event source mapping. */
export const toSqsEvent = (queueArn: string, messages: readonly Message[]): SQSEvent => ({
  Records: messages.map((message) => recordOf(queueArn, message)),
});

const recordOf = (queueArn: string, message: Message): SQSRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(
      ([name, { DataType = 'String', StringValue, BinaryValue }]) => [
        name,
        {
          dataType: DataType,
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
        },
      ],
    ),
  ),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: region,
});
