import {
  type ChatRequest,
  lastText,
  plausibleAnswer,
  requestMessageText,
  type ToolCallAnswer,
} from '../../examples/model-stand-in.ts';

/** What the model of the guides does with a question: it calls tools, then answers with their results. */
interface Script {
  asked: RegExp;
  calls: ToolCallAnswer['toolCalls'];
  answer: (results: string[]) => string;
}

const scripts: Script[] = [
  {
    asked: /What day is it/,
    calls: [{ name: 'date-time', arguments: { operation: 'now', timezone: 'Asia/Tokyo' } }],
    answer: ([result = '']) => `It is ${/\b[A-Z]\w+day\b/.exec(result)?.[0]} in Tokyo.`,
  },
  {
    asked: /How far/,
    calls: [{ name: 'distance', arguments: { from: [60.2, 11.1], to: [60.3, 5.2] } }],
    answer: ([result = '']) => `They are ${/\d+/.exec(result)?.[0]} km apart.`,
  },
  {
    asked: /Mark OSL/,
    calls: [
      { name: 'record-upsert', arguments: { type: 'airport', name: 'OSL', metadata: { closed: true } } },
    ],
    answer: () => 'OSL is closed.',
  },
  { asked: /Hilo/, calls: [], answer: () => 'Hilo lies on the rainy side of Hawaii, below two volcanoes.' },
  { asked: /one sentence/, calls: [], answer: () => 'Bergen lies between seven mountains.' },
  { asked: /Where is my parcel/, calls: [], answer: () => 'Your parcel arrives tomorrow.' },
];

export function guideModel(request: ChatRequest): string | ToolCallAnswer {
  const asked = request.messages.filter(({ role }) => role === 'user').map(requestMessageText);
  const script = scripts.find((each) => each.asked.test(asked.at(-1) ?? lastText(request)));
  if (!script) return plausibleAnswer(request);
  const results = request.messages.filter(({ role }) => role === 'tool').map(requestMessageText);
  const { calls } = script;
  return calls.length > 0 && results.length === 0 ? { toolCalls: calls } : script.answer(results);
}
