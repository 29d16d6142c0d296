import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../support/command-line/run-program.ts';
import { publishedFlow, template } from '../../support/flows/flows.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { stack } from '../../support/stack/stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'openai-python-'));
let isInstalled = false;

/** OpenAI's package for Python, as its registry has it. */
beforeAll(async () => {
  const made = await runProgram('python3', ['-m', 'venv', folder]);
  const wanted = ['install', '--quiet', 'openai>=2,<4'];
  isInstalled =
    made.status === 0 &&
    (await runProgram(join(folder, 'bin/pip'), wanted, { timeout: 180_000 })).status === 0;
  if (!isInstalled)
    process.stderr.write('The package for Python is not tested: it could not be installed.\n');
}, 200_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = `
import json, sys
from openai import OpenAI, APIStatusError

client = OpenAI(max_retries=0)
seen = {}
said = [{"role": "user", "content": "one two"}]
echo = "generic-openai/echo"
seen["models"] = [model.id for model in client.models.list()]
seen["text"] = client.chat.completions.create(model=echo, messages=said).choices[0].message.content
stream = client.chat.completions.create(model=echo, messages=said, stream=True, stream_options={"include_usage": True})
chunks = list(stream)
seen["streamed"] = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
seen["usage"] = chunks[-1].usage.total_tokens
tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}}
asked = [{"role": "user", "content": json.dumps([{"name": "f", "arguments": {"n": 1}}])}]
first = client.chat.completions.create(model="generic-openai/tool-caller", messages=asked, tools=[tool])
message = first.choices[0].message
call = message.tool_calls[0]
result = {"role": "tool", "tool_call_id": call.id, "content": "42"}
second = client.chat.completions.create(model="generic-openai/tool-caller", messages=asked + [message, result], tools=[tool])
seen["tool"] = [call.function.name, call.function.arguments, second.choices[0].message.content]
seen["flow"] = client.chat.completions.create(model="flow/A flow", messages=said).choices[0].message.content
vectors = client.embeddings.create(model="generic-openai/embedder", input=["a", "b"])
seen["vectors"] = [len(each.embedding) for each in vectors.data]
one = client.responses.create(model=echo, input="remember")
two = client.responses.create(model="generic-openai/mirror", input="and?", previous_response_id=one.id)
seen["response"] = [one.output_text, len(json.loads(two.output_text)["messages"])]
with client.responses.stream(model=echo, input="three four") as events:
    for event in events:
        pass
    seen["response_stream"] = events.get_final_response().output_text
try:
    client.chat.completions.create(model="no-such-model", messages=said)
except APIStatusError as error:
    seen["error"] = [error.status_code, error.code, error.param]
print(json.dumps(seen))
`;

test('OpenAI’s package for Python works as it is', async ({ skip }) => {
  if (!isInstalled) skip();
  const { tenant, key } = await tenantWithKey(['FLOWS:EXECUTE']);
  await publishedFlow(tenant, [template('hi {{ message }}')]);
  const env = { ...process.env, OPENAI_BASE_URL: `${stack().url}/v1/openai`, OPENAI_API_KEY: key };
  const { stdout, stderr } = await runProgram(join(folder, 'bin/python'), ['-c', program], {
    env,
    timeout: 60_000,
  });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    models: ['flow/A flow'],
    text: 'You said: one two',
    streamed: 'You said: one two',
    usage: expect.any(Number),
    tool: ['f', '{"n":1}', 'The tools returned 42'],
    flow: 'hi one two',
    vectors: [64, 64],
    response: ['You said: remember', 3],
    response_stream: 'You said: three four',
    error: [404, 'model_not_found', 'model'],
  });
}, 90_000);
