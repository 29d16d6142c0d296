import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { removeSdkLogger } from '../../platform/aws/sdk-clients.ts';
import type { MessagesPort } from '../ports/messages-port.ts';
import { deliverMessage, sentOnce } from './delivery.ts';

const sns = loadOnce(() => removeSdkLogger(new SNSClient(sentOnce)));

export const sendSms: MessagesPort['sms'] = async ({ from, to, message }) => {
  const command = new PublishCommand({
    PhoneNumber: to,
    Message: message,
    ...(from && { MessageAttributes: senderAttributes(from) }),
  });
  const { MessageId = '' } = await deliverMessage('The text message', (abortSignal) =>
    sns().send(command, { abortSignal }),
  );
  return { messageId: MessageId };
};

/** A number of the account is the origination number; a name is the sender id, where the country allows one. */
const senderAttributes = (from: string) => ({
  [from.startsWith('+') ? 'AWS.MM.SMS.OriginationNumber' : 'AWS.SNS.SMS.SenderID']: {
    DataType: 'String',
    StringValue: from,
  },
});
