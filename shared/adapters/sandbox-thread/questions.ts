import type { MessagePort } from 'node:worker_threads';
import type { SandboxReply, SandboxRequest } from '../sandbox/conversation.ts';
import type { AskCaller } from '../sandbox/sandbox.ts';

/** Sends questions to the serving thread. It answers them in any order. */
export function askOn(port: MessagePort): AskCaller {
  const waiting = new Map<number, (value: unknown) => void>();
  let count = 0;
  port.on('message', ({ id, value }: SandboxReply) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  return (request) =>
    new Promise((resolve) => {
      const question: SandboxRequest = { id: count++, request };
      waiting.set(question.id, resolve);
      port.postMessage(question);
    });
}
