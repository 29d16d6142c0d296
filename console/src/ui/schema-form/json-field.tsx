import { useMemo, useState } from 'react';
import { CodeEditor } from '../code/code-editor.tsx';
import { editableJson, follow, type Typed, valueIn } from '../values/exact-json.ts';

interface Props {
  label: string;
  help: string | undefined;
  problem: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** A value that has no form of its own, as JSON. */
export function JsonField({ label, help, problem, value, onChange }: Props) {
  const [typed, setTyped] = useState<Typed>(() => ({ text: editableJson(value), taken: { value } }));
  const shown = follow(typed, value);
  if (shown !== typed) setTyped(shown);
  const syntax = useMemo(() => valueIn(shown.text).problem, [shown.text]);
  return (
    <CodeEditor
      label={label}
      help={help}
      problem={syntax ?? problem}
      language="json"
      value={shown.text}
      onChange={(text) => {
        setTyped({ text });
        onChange(valueIn(text).value);
      }}
    />
  );
}
