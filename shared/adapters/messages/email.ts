import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { removeSdkLogger } from '../../platform/aws/sdk-clients.ts';
import type { MessagesPort } from '../ports/messages-port.ts';
import { deliverMessage, sentOnce } from './delivery.ts';

const ses = loadOnce(() => removeSdkLogger(new SESv2Client(sentOnce)));
const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

export const sendEmailBySes: MessagesPort['email'] = async ({ from, to, subject, html, text }) => {
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: to },
    Content: {
      Simple: {
        Subject: utf8(subject),
        Body: { ...(html && { Html: utf8(html) }), ...(text && { Text: utf8(text) }) },
      },
    },
  });
  const { MessageId = '' } = await deliverMessage('The email', (abortSignal) =>
    ses().send(command, { abortSignal }),
  );
  return { messageId: MessageId };
};
