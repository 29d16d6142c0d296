// As bench.mjs of DBOS, with a call of a model in the second step. Usage: MODEL_URL=... node dbos-model.mjs [N] [WIDTH]
import { DBOS } from '@dbos-inc/dbos-sdk';

const [n, width] = [Number(process.argv[2] ?? 3000), Number(process.argv[3] ?? 16)];
const url = process.env.DBOS_URL ?? 'postgresql://postgres@127.0.0.1:5544/postgres';
DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, runAdminServer: false, logLevel: 'error' });

async function ask(content) {
  const response = await fetch(`${process.env.MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify({ model: 'gpt-4.1-nano', messages: [{ role: 'user', content }] }),
  });
  return (await response.json()).choices[0].message.content;
}

const work = DBOS.registerWorkflow(
  async (i) => {
    const place = await DBOS.runStep(async () => ({ half: i % 2 ? 'north' : 'south' }), { name: 'one' });
    const prompt = `Say one sentence about airport ${i} in the ${place.half}.`;
    const text = await DBOS.runStep(() => ask(prompt), { name: 'two' });
    return DBOS.runStep(async () => ({ text, length: text.length }), { name: 'three' });
  },
  { name: 'work' },
);
await DBOS.launch();
for (let i = 0; i < 50; i++) await work(i);
let next = 0;
const began = performance.now();
const slot = async () => {
  while (next < n) await work(next++);
};
await Promise.all(Array.from({ length: width }, slot));
console.log(JSON.stringify({ perSecond: Math.round(n / ((performance.now() - began) / 1000)) }));
await DBOS.shutdown();
process.exit(0);
