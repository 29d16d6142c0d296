import { useState } from 'react';
import { CodeEditor } from '../code/code-editor.tsx';

interface Props {
  label: string;
  help: string | undefined;
  problem: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** A value that has no form of its own, as JSON. What is not JSON yet is not passed on. */
export function JsonField({ label, help, problem, value, onChange }: Props) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, undefined, 2)));
  const [syntax, setSyntax] = useState<string>();
  function edit(next: string) {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
      setSyntax(undefined);
    } catch (error) {
      // Never silently the value before: the API refuses a text where it needs something else.
      onChange(next);
      setSyntax(`Not JSON, so it counts as a text: ${(error as Error).message}`);
    }
  }
  return (
    <CodeEditor
      {...{ label, help }}
      problem={syntax ?? problem}
      language="json"
      value={text}
      onChange={edit}
    />
  );
}
