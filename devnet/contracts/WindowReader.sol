// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Reads of the due pass for many legacies in one `eth_call` without deployment: a node runs this constructor and
/// returns what it returns. No legacy harms another: each read has its own gas, and only the first words of its answer
/// are copied. The service has the compiled code in `chain/contracts/window_reader.py`; a test compares the two.
///
/// `people`: 40 bytes for each legacy, its address and its creator's. The answer has a word for each legacy, in order,
/// as far as the gas lasts: four numbers of 64 bits. The last three are t1, t2, t3. The first is the creator's time
/// ahead (seconds) times 256, plus 1, plus 2**w for each open window w (1 to 6). A number that is too large becomes the
/// largest. The word is 0 if the legacy reverts, and the first number is 128 if the view or the setting answers wrongly.
contract WindowReader {
    uint256 private constant READ_GAS = 400_000; // of each read: a genuine legacy needs 66,000
    uint256 private constant LEGACY_GAS = 1_000_000; // there must be so much: the reads can use 63/64 of it
    uint256 private constant WORD_GAS = 7_000; // nodes charge 200 for each byte that a constructor returns
    uint256 private constant LARGEST = 0xffffffffffffffff;
    uint256 private constant WRONG = 128;
    uint256 private constant DUE_REMINDERS = 0xac489dbe << 224; // dueReminders(address)
    uint256 private constant TRIGGERS = 0xc4de13a6 << 224; // getTriggerActivationTimestamp()
    uint256 private constant TIME_AHEAD = 0x82b5266f << 224; // getTimeAhead(address)
    uint256 private constant PANIC = 0x4e487b71 << 224; // Panic(uint256)

    constructor(address view_, address setting, bytes memory people) {
        assembly {
            function least(a, b) -> found {
                found := a
                if gt(a, b) { found := b }
            }

            /// 1 and the open windows, 0 if the legacy reverts, or WRONG. `answer`: memory for eight words.
            function windowsOf(legacy, view__, answer) -> state {
                mstore(0, DUE_REMINDERS)
                mstore(4, legacy)
                if staticcall(READ_GAS, view__, 0, 36, answer, 256) {
                    state := WRONG
                    let count := mload(add(answer, 32))
                    let whole := lt(add(63, mul(32, least(count, 7))), returndatasize())
                    if and(and(eq(mload(answer), 32), lt(count, 7)), whole) {
                        state := 1
                        for { let at := add(answer, 64) } count { count := sub(count, 1) } {
                            state := or(state, and(shl(mload(at), 1), 0x7e))
                            at := add(at, 32)
                        }
                    }
                }
            }

            /// t1, t2, t3 as 192 bits, and whether the legacy has them. An overflow (panic 0x11) is the largest.
            function timesOf(legacy, answer) -> has, times {
                mstore(0, TRIGGERS)
                switch staticcall(READ_GAS, legacy, 0, 4, answer, 96)
                case 0 {
                    let overflows := and(eq(returndatasize(), 36), eq(mload(answer), PANIC))
                    has := and(overflows, eq(shr(224, mload(add(answer, 32))), 0x11))
                    times := mul(has, shr(64, not(0)))
                }
                default {
                    has := gt(returndatasize(), 95)
                    times := shl(128, least(mload(answer), LARGEST))
                    times := or(times, shl(64, least(mload(add(answer, 32)), LARGEST)))
                    times := or(times, least(mload(add(answer, 64)), LARGEST))
                }
            }

            /// The time ahead that the creator chose, shifted, or WRONG.
            function aheadOf(creator, setting_, answer) -> state {
                mstore(0, TIME_AHEAD)
                mstore(4, creator)
                state := WRONG
                // The arguments of `and` are computed from the last to the first.
                if and(gt(returndatasize(), 31), staticcall(READ_GAS, setting_, 0, 36, answer, 32)) {
                    state := shl(8, least(mload(answer), shr(8, LARGEST)))
                }
            }

            let answer := mload(0x40)
            let first := add(answer, 256)
            let next := first
            let at := add(people, 32)
            for { let end := add(at, mload(people)) } lt(at, end) { at := add(at, 40) } {
                if lt(gas(), add(LEGACY_GAS, mul(WORD_GAS, shr(5, sub(next, first))))) { break }
                let legacy := shr(96, mload(at))
                let state := windowsOf(legacy, view_, answer)
                let times := 0
                if eq(and(state, 1), 1) {
                    let has
                    has, times := timesOf(legacy, answer)
                    switch has
                    case 0 {
                        state := 0
                        times := 0
                    }
                    default { state := or(state, aheadOf(shr(96, mload(add(at, 20))), setting, answer)) }
                }
                mstore(next, or(shl(192, state), times))
                next := add(next, 32)
            }
            return(first, sub(next, first))
        }
    }
}
