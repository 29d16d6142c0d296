import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle } from 'quickjs-emscripten-core';
import type { AskCaller } from '../sandbox/sandbox.ts';
import { resultText } from './quickjs-engine.ts';

/** What a program asks for. Its caller answers `{json}` or `{error}`. */
export interface ProgramCall {
  tool: string;
  /** JSON; undefined if the code gave none. */
  args: string | undefined;
}

export type ProgramCallResult = { json: string } | { error: string };

const argumentsCharactersMax = 200_000;

/** The calls of a program. Their answers settle its promises one at a time, in its own turn. */
export function openCalls(context: QuickJSContext, callsMax: number, ask: AskCaller) {
  const open = new Map<QuickJSDeferredPromise, Promise<() => void>>();
  let count = 0;

  function start(tool: QuickJSHandle, args: QuickJSHandle): QuickJSHandle {
    const [name, json] = [resultText(context, tool, 200), resultText(context, args, argumentsCharactersMax)];
    if (++count > callsMax) throw new Error(`The limit of ${callsMax} tool calls is reached`);
    if ('tooLong' in name || name.text === undefined) throw new Error('There is no such tool');
    if ('tooLong' in json)
      throw new Error(`The arguments have more than ${argumentsCharactersMax} characters`);
    const deferred = context.newPromise();
    const request: ProgramCall = { tool: name.text, args: json.text };
    open.set(
      deferred,
      ask(request).then((answer) => () => settle(deferred, answer as ProgramCallResult)),
    );
    return deferred.handle.dup();
  }

  function settle(deferred: QuickJSDeferredPromise, answer: ProgramCallResult): void {
    open.delete(deferred);
    using value = 'json' in answer ? context.newString(answer.json) : context.newError(answer.error);
    if ('json' in answer) deferred.resolve(value);
    else deferred.reject(value);
    deferred.dispose();
  }

  return {
    start,
    /** Waits for the next answer. @returns false if no call is open. */
    async next(): Promise<boolean> {
      if (open.size === 0) return false;
      (await Promise.race(open.values()))();
      return true;
    },
    dispose(): void {
      for (const deferred of open.keys()) deferred.dispose();
      open.clear();
    },
  };
}
