import type { SentMessage } from '../../../infra/local/messages/outbox.ts';
import { call } from '../stack/stack.ts';

/** What left the embedded stack and says so: the messages in which a text occurs, newest first. */
export async function findSentMessages(text: string): Promise<SentMessage['message'][]> {
  const { body } = await call('GET', '/local/outbox');
  const messages: SentMessage[] = body.messages;
  return messages.flatMap(({ message }) => (JSON.stringify(message).includes(text) ? [message] : []));
}
