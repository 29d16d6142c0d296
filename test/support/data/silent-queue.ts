import { createHash } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';
import { loopback } from '../servers/loopback.ts';

export interface QueuedMessage<Message> {
  body: Message;
  group?: string;
  id?: string;
  delaySeconds?: number;
}

interface Entry {
  MessageBody?: string;
  MessageGroupId?: string;
  MessageDeduplicationId?: string;
  DelaySeconds?: number;
}

/** A queue that takes every message and delivers none, in place of one of the stack's for this test. */
export async function silentQueue<Message>(name: `${string}_QUEUE_URL`): Promise<QueuedMessage<Message>[]> {
  const sent: QueuedMessage<Message>[] = [];
  const { url } = await loopback(async (request, response) => {
    const input = (await json(request)) as Entry & { Entries?: Entry[] };
    for (const each of input.Entries ?? [input]) {
      const { MessageBody, MessageGroupId, MessageDeduplicationId, DelaySeconds } = each;
      // Not sent, but deleted or handed back.
      if (MessageBody === undefined) continue;
      sent.push({
        body: JSON.parse(MessageBody) as Message,
        ...(MessageGroupId && { group: MessageGroupId }),
        ...(MessageDeduplicationId && { id: MessageDeduplicationId }),
        ...(DelaySeconds !== undefined && { delaySeconds: DelaySeconds }),
      });
    }
    // The client checks it.
    const MD5OfMessageBody = input.MessageBody && createHash('md5').update(input.MessageBody).digest('hex');
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ MD5OfMessageBody }));
  });
  // The SDK warns of a queue on another host than its endpoint.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.stubEnv(name, `${url}/${name}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return sent;
}
