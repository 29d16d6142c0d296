import type { FormEvent } from 'react';
import { playgroundTexts } from '../../../texts/playground.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { TextField } from '../../../ui/forms/field.tsx';

interface Props {
  text: string;
  setText: (text: string) => void;
  send: (event?: FormEvent) => void;
  isIdle: boolean;
}

/** Where the next message is written. */
export const Composer = ({ text, setText, send, isIdle }: Props) => (
  <form className="agents-composer" onSubmit={send}>
    <TextField
      label={playgroundTexts.message}
      lines={2}
      value={text}
      onChange={setText}
      help={playgroundTexts.enterSends}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey) return;
        event.preventDefault();
        send();
      }}
    />
    <Button type="submit" look="primary" isDisabled={isIdle}>
      {playgroundTexts.send}
    </Button>
  </form>
);
