import type { Target } from '@pacecar/protocol';
import { addressOf } from '../target-refusal.js';
import type { HazelcastSettings } from './description.js';

const ADDRESS = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+):\d{1,5}$/;

/** `host:port,host:port`, or nothing. */
export function isAddressList(text: string): boolean {
  return text === '' || text.split(',').every((each) => ADDRESS.test(each.trim()));
}

/** Where clients connect: the target, and other members. */
export function addressesOf(target: Target, { members }: Pick<HazelcastSettings, 'members'>): string[] {
  const others = members === '' ? [] : members.split(',').map((each) => each.trim());
  return [...new Set([addressOf(target), ...others])];
}
