import { useState } from 'react';
import { uiTexts } from '../../texts/ui.ts';
import { notify } from '../notices.tsx';

const shownMs = 2_000;

/** Whether the browser copied it. If it does not allow that, a notice says so. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    notify(uiTexts.browserDoesNotAllowCopying);
    return false;
  }
}

/** Copies texts. After one is copied, `isCopied` for a moment. */
export function useCopy() {
  const [isCopied, setCopied] = useState(false);
  async function copy(text: string) {
    if (!(await copyText(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), shownMs);
  }
  return { isCopied, copy };
}
