import { useNow } from '../clock.ts';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { FOLLOWED_TEXTS } from '../translations/followed.ts';
import { type FollowedEvent, followedText } from './followed_text.ts';

/** Below an event: who took it on, and what followed. */
export function Followed({ event }: { event: FollowedEvent }) {
  const { format } = usePreferences();
  const text = followedText(event, useTexts(FOLLOWED_TEXTS), format, useNow());
  return text === '' ? null : <div className="meta followed">{text}</div>;
}
