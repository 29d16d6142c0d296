import type { FormEvent } from 'react';
import { Button } from '../../ui/forms/button.tsx';
import { TextField } from '../../ui/forms/field.tsx';

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
      label="Message"
      lines={2}
      value={text}
      onChange={setText}
      help="Enter sends, Shift and Enter begin a new line"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey) return;
        event.preventDefault();
        send();
      }}
    />
    <Button type="submit" look="primary" isDisabled={isIdle}>
      Send
    </Button>
  </form>
);
