import { expect, test } from 'vitest';
import { wires } from '../../../support/providers/index.ts';
import { startProvider } from '../../../support/providers/stand-in.ts';

test.each(wires.map((wire) => ({ wire, name: wire.title })))(
  '$name: a system message after others stays where it is, in a form that the provider takes',
  async ({ wire }) => {
    const { received, ask } = await startProvider(wire, {});
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Hello' },
      { role: 'assistant' as const, content: 'Hi!' },
      { role: 'system' as const, content: 'Now in French.' },
      { role: 'user' as const, content: 'Where is Oslo?' },
    ];
    await ask({ model: wire.modelId, messages, streamed: false });
    const sent = JSON.stringify(received[0]?.body);
    const places = ['Hi!', 'Now in French.', 'Where is Oslo?'].map((text) => sent.indexOf(text));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(sent.split('Now in French.')).toHaveLength(2);
  },
);
