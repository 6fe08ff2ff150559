import { usePreferences } from '../preferences_and_words.tsx';
import { type MarkName, StatusMark } from './marks.tsx';

interface JumpProps {
  /** The id of the section. */
  section: string;
  mark: MarkName;
  text: string;
  /** Null if the count is not known. */
  count: number | null;
}

/** The count of a section of the page, with a link to the section unless it is empty. */
export function Jump({ section, mark, text, count }: JumpProps) {
  const { words, format } = usePreferences();
  const content = (
    <>
      <StatusMark status={mark} />
      <span>{text}</span> <b>{count === null ? words.values.unknown : format.count(count)}</b>
    </>
  );
  return count === 0 ? (
    <span className={`jump ${mark} none`} data-section={section}>
      {content}
    </span>
  ) : (
    <a className={`jump ${mark}`} data-section={section} href={`#${section}`}>
      {content}
    </a>
  );
}
