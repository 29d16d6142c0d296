/**
 * Prepares and builds the writes of messages, for appending and replacing (`conversation-store.ts`).
 *
 * Contents are offloaded first, so that a transaction stays within its size; then each message has two writes, itself under
 * its number and its id, both of which must be new. An answer of a run that is too large is shortened, because it is paid for;
 * a caller's message is refused.
 */

import { toChunks } from '../../core/chunks.ts';
import { invalidAt } from '../../core/errors/errors.ts';
import { truncate } from '../../core/text.ts';
import { using } from '../../platform/aws/uses.ts';
import { inlineBytesMax, type PayloadRef, payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { countResponseBytes } from '../../platform/http/responses/body-sizes.ts';
import { type Conversation, conversationExpiry, conversationPayloads } from './conversation.ts';
import { type Message, messageText } from './message.ts';
import { messageEntity, messageIdEntity } from './message-items.ts';

/** A message that a caller adds. Its id is the caller's. */
export interface NewMessage extends Message {
  id: string;
  createdAt?: string | undefined;
  /** Of an answer: the run that gave it. */
  runId?: string | undefined;
}

/** A message whose content is stored where it fits. */
export interface PreparedMessage {
  message: NewMessage;
  content: PayloadRef;
}

/** A transaction takes 4 MB. */
const transactionBytesMax = 3_000_000;
/** So that a response fits a message, whatever it contains. Bytes as in a response. */
const messageBytesMax = 4_000_000;
const firstMessageCharactersMax = 200;
const uploadsAtOnce = 8;

export const messageWrites = /* @__PURE__ */ using([payloadWriter, conversationExpiry], (scope: Scope) => {
  const { table, now, newId } = scope;
  const payloads = payloadWriter(scope, conversationPayloads);
  const expiry = conversationExpiry(scope);

  return {
    expiry,

    /** Stores what no item can hold. @param together Messages per transaction. @throws 400 for one that is too large. */
    async prepare(
      conversationId: string,
      messages: readonly NewMessage[],
      together: number,
    ): Promise<PreparedMessage[]> {
      for (const [index, message] of messages.entries()) {
        if (message.runId === undefined) assertMessageFits(message, index);
      }
      const inlineMax = Math.min(inlineBytesMax, Math.floor(transactionBytesMax / together));
      const prepared: PreparedMessage[] = [];
      for (const chunk of toChunks(messages.map(fitMessage), uploadsAtOnce)) {
        const offload = async (message: NewMessage) => {
          const name = `${conversationId}/${newId('msg')}`;
          return { message, content: await payloads.offload(name, message.content, inlineMax) };
        };
        prepared.push(...(await Promise.all(chunk.map(offload))));
      }
      return prepared;
    },

    /** Two writes for each message: itself and its id, both new. */
    insert(
      { id: conversationId, generation }: Pick<Conversation, 'id' | 'generation'>,
      prepared: readonly PreparedMessage[],
      firstNumber: number,
    ): Write[] {
      const place = { conversationId, generation, ...expiry() };
      const at = now().toISOString();
      return prepared.flatMap(({ message: { id, role, createdAt = at, runId }, content }, index) => [
        table.writes.insert(messageIdEntity, { ...place, messageId: id, runId }),
        table.writes.insert(messageEntity, {
          ...place,
          number: firstNumber + index,
          id,
          role,
          content,
          createdAt,
        }),
      ]);
    },
  };
});

/** @throws 400 for a message that no response fits. @param index Its place in the request. */
export function assertMessageFits({ content }: Pick<Message, 'content'>, index: number): void {
  if (countResponseBytes(content) > messageBytesMax) throw createTooLargeError(index);
}

/** The text of an answer as a conversation stores it: one that is paid for is shortened rather than refused. */
export function shortenAnswer(text: string): string {
  let stored = text;
  for (let bytes = countResponseBytes(stored); bytes > messageBytesMax; bytes = countResponseBytes(stored)) {
    const part = (messageBytesMax - shortenedNote.length * 2) / bytes;
    stored = truncate(text, Math.floor(Math.min(stored.length - shortenedNote.length, text.length) * part));
    stored += shortenedNote;
  }
  return stored;
}

const shortenedNote = '\n\n[Shortened: a conversation stores up to 4 MB of an answer. Its run has all of it]';

const fitMessage = (message: NewMessage): NewMessage =>
  message.runId !== undefined && typeof message.content === 'string'
    ? { ...message, content: shortenAnswer(message.content) }
    : message;

export function findFirstUserMessage(messages: readonly Message[]): string | null {
  const first = messages.find(
    ({ role, content }) => role === 'user' && messageText({ content }).trim() !== '',
  );
  return first ? truncate(messageText(first).trim(), firstMessageCharactersMax) : null;
}

const createTooLargeError = (index: number) =>
  invalidAt(
    `messages.${index}.content`,
    'TOO_LARGE',
    `The content takes more than ${messageBytesMax} bytes in a response, where a quote, a backslash or a line break counts twice. Shorten it, or store files as assets and send their URLs`,
  );
