import { useState } from 'react';
import { runViewTexts } from '../texts/run-view.ts';
import { Button } from '../ui/forms/button.tsx';
import { TextField } from '../ui/forms/field.tsx';
import { parseExactly } from '../ui/values/exact-json.ts';

interface Props {
  tool: string;
  isBusy: boolean;
  onSend: (output: unknown) => void;
}

/** The output of a tool that the caller executes: JSON, or a text. */
export function ToolOutput({ tool, isBusy, onSend }: Props) {
  const [text, setText] = useState('');
  return (
    <>
      <TextField
        label={runViewTexts.outputOf(tool)}
        help={runViewTexts.jsonOrText}
        lines={3}
        value={text}
        onChange={setText}
      />
      <Button look="primary" isDisabled={isBusy || text.trim() === ''} onPress={() => onSend(parsed(text))}>
        {runViewTexts.sendOutput}
      </Button>
    </>
  );
}

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}
