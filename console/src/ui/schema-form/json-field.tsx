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
      setSyntax(`Not JSON yet, so it is not used: ${(error as Error).message}`);
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
