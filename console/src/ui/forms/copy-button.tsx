import { useState } from 'react';
import { Button } from './button.tsx';

/** Copies a text, and says so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState('');
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('The browser does not allow it: select the text and copy it');
    }
    setTimeout(() => setSaid(''), 2_000);
  }
  return (
    <span className="copy">
      <Button look="quiet" onPress={copy}>
        {label}
      </Button>
      <span role="status">{said}</span>
    </span>
  );
}
