import { expect, onTestFinished, test } from 'vitest';
import { startModels } from '../support/models/models.ts';

test('each response behaves as its own model, whatever is asked while it waits', async () => {
  const server = await startModels();
  onTestFinished(server.close);
  const answerOf = async (model: string) => {
    const messages = [{ role: 'user', content: 'one two three' }];
    const body = JSON.stringify({ model, messages, stream: true });
    return (await fetch(`${server.url}/chat/completions`, { method: 'POST', body })).text();
  };
  const waiting = answerOf('slow');
  expect(await answerOf('silent')).not.toContain('prompt_tokens');
  expect(await answerOf('miscounting')).toContain('"prompt_tokens":1.5');
  // Begins while the first one waits, and is the last that the server hears of.
  const [slow, stamped] = await Promise.all([waiting, answerOf('trickling')]);
  expect(stamped).not.toContain('three');
  expect(slow).toContain('three');
  expect(slow).toContain('"prompt_tokens":4');
});
