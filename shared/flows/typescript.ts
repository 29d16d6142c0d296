import type { MessagePort, Worker } from 'node:worker_threads';

/** What came of leaving out the types of a program: the JavaScript, or why there is none. */
type Stripped = { code: string } | { problem: string; broken: boolean };

const timeoutMs = 5_000;

/**
 * Node strips types with a WebAssembly program, which code that is nested deeply breaks for the rest of a thread's
 * life. So it has a thread of its own, which is thrown away then.
 */
const program = `
const { parentPort } = require('node:worker_threads');
const { stripTypeScriptTypes } = require('node:module');
const strip = (code) => {
  try {
    return { code: stripTypeScriptTypes(code) };
  } catch (error) {
    return { problem: String(error.message), broken: !/_TYPESCRIPT_SYNTAX$/.test(error.code) };
  }
};
parentPort.on('message', ({ code, port, done }) => {
  port.postMessage(strip(code));
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});
`;

let worker: Worker | undefined;

/** The code with blanks in place of its types, so that lines and columns stay. @throws SyntaxError */
export function stripTypes(code: string): string {
  const stripped = ask(code);
  if (stripped && 'code' in stripped) return stripped.code;
  if (!stripped || stripped.broken) discard();
  const problem =
    stripped && !stripped.broken ? stripped.problem : 'It is nested too deeply or takes too long';
  throw new SyntaxError(problem);
}

/** Waits for the other thread: schemas that check scripts cannot be asynchronous. */
function ask(code: string): Stripped | undefined {
  const { MessageChannel, receiveMessageOnPort, Worker } = process.getBuiltinModule('node:worker_threads');
  if (!worker) {
    worker = new Worker(program, { eval: true, execArgv: ['--no-warnings'], env: {} });
    // Without a listener, a thread that runs out of memory would take the process with it.
    worker.once('error', discard).unref();
  }
  const done = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 }: { port1: MessagePort; port2: MessagePort } = new MessageChannel();
  worker.postMessage({ code, port: port2, done }, [port2]);
  Atomics.wait(done, 0, 0, timeoutMs);
  const answer = receiveMessageOnPort(port1)?.message as Stripped | undefined;
  port1.close();
  return answer;
}

function discard(): void {
  worker?.terminate();
  worker = undefined;
}
