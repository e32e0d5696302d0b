/** What the system's error codes say to a person. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'permission is denied',
  EPERM: 'it is not permitted',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it exists already',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EFBIG: 'the file would be too large',
  EIO: 'the device failed',
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
  ELOOP: 'too many symbolic links lead on',
  ENAMETOOLONG: 'the name is too long',
  EADDRINUSE: 'the address is in use by another process',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
};

/** Why the system refused something, in plain words: without the class of an error, its call or its path. */
export function systemReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { code } = thrown as NodeJS.ErrnoException;
  return (code === undefined ? undefined : WORDS[code]) ?? thrown.message;
}

/** Why `host` cannot be listened on, and what to do about it. */
export function listenReason(host: string, thrown: unknown): string {
  switch (thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined) {
    case 'EADDRINUSE':
      return 'the port is in use by another process; choose another one, or 0 for any';
    case 'EADDRNOTAVAIL':
      return `this machine has no address ${host}; give one that it has, or 0.0.0.0 for all of them`;
    case 'EACCES':
      return 'this user may not listen on that port; choose one from 1024 on';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} cannot be looked up; give an address of this machine`;
    default:
      return `${systemReason(thrown)}; choose another address`;
  }
}

/** As `systemReason`, with the path that the system names, where the caller knows of several: `... (frames/worker-0.pcf)`. */
export function systemReasonAt(thrown: unknown): string {
  const path = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).path : undefined;
  return path === undefined ? systemReason(thrown) : `${systemReason(thrown)} (${path})`;
}
