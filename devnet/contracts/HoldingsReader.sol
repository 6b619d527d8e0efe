// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Reads of the statistics for many owners in one `eth_call` without deployment: a node runs this constructor and
/// returns what it returns. Each read has its own gas, and only the first words of its answer are copied. The service
/// has the compiled code in `chain/contracts/holdings_reader.py`; a test compares the two.
///
/// `tokens`: 20 bytes each, at most 255. `owners`: for each its address (20 bytes), the number of its legacies (2), and
/// for each legacy its address (20) and its type (1): 1 for a Safe's. `vault` stands for the vault of a legacy without
/// the getter, `time` is that of the block.
///
/// The answer begins with the number of owners that were read, in order, as far as the gas lasts. An owner has: the
/// number of its deleted Safe legacies (2 bytes), the number of its tokens in the answer (1), the wei, and for each
/// token its position (1) and the amount that claims can move. A number has its length (1) and its bytes; the length
/// 255 stands for a token without a balance that can be read.
contract HoldingsReader {
    uint256 private constant READ_GAS = 400_000; // of each read
    uint256 private constant BYTE_GAS = 220; // nodes charge 200 for each byte that a constructor returns
    uint256 private constant MOST_BYTES = 24_576; // that a constructor may return (EIP-170)
    uint256 private constant FAILED = 255;
    uint256 private constant BALANCE_OF = 0x70a08231; // balanceOf(address)
    uint256 private constant ALLOWANCE = 0xdd62ed3e; // allowance(address,address)
    uint256 private constant PERMIT = 0x927da105; // allowance(address,address,address)
    uint256 private constant PULL_VAULT = 0x215e92bc; // pullVault()
    uint256 private constant IS_LIVE = 0xb8f7a665; // isLive()

    struct Reading {
        address permit2;
        address vault;
        uint256 time;
        bytes tokens;
        bytes owners;
        bytes answer;
        uint256 place; // position in `owners`
        uint256 next; // position in `answer`
        uint256 reserve; // gas that must be left
        bool isShort; // of gas: the owner does not count
        address owner;
        bool isSafe;
        uint256 plain; // number of the owner's legacies that are no Safe's, with the three lists
        address[] legacies;
        address[] vaults;
        uint256[] own;
    }

    constructor(address permit2, address vault, uint256 time, bytes memory tokens, bytes memory owners) {
        Reading memory all;
        (all.permit2, all.vault, all.time, all.tokens, all.owners) = (permit2, vault, time, tokens, owners);
        all.answer = new bytes(MOST_BYTES + 64);
        uint256 count;
        uint256 end = 32;
        unchecked {
            uint256 longest = 40 + 34 * (tokens.length / 20);
            while (all.place < owners.length && end + longest <= MOST_BYTES) {
                all.next = end;
                all.reserve = 1_000_000 + BYTE_GAS * (end + longest);
                readOwner(all);
                if (all.isShort) break;
                end = all.next;
                ++count;
            }
        }
        bytes memory answer = all.answer;
        assembly {
            mstore(add(answer, 32), count)
            return(add(answer, 32), and(add(end, 31), not(31)))
        }
    }

    function readOwner(Reading memory all) private view {
        unchecked {
            all.owner = addressAt(all.owners, all.place);
            uint256 count = uint16(uint160(addressAt(all.owners, all.place + 2)));
            all.place += 22;
            (all.isSafe, all.plain) = (false, 0);
            (all.legacies, all.vaults, all.own) = (new address[](count), new address[](count), new uint256[](count));
            (uint256 deleted, uint256 amount) = readLegacies(all, count);
            writeByte(all, deleted >> 8);
            writeByte(all, deleted);
            uint256 counted = all.next++;
            writeNumber(all, amount);
            count = readTokens(all);
            all.answer[counted] = bytes1(uint8(count));
        }
    }

    /// The number of deleted legacies, and the wei.
    function readLegacies(Reading memory all, uint256 count) private view returns (uint256 deleted, uint256 amount) {
        unchecked {
            for (; count > 0; --count) {
                address legacy = addressAt(all.owners, all.place);
                if (uint8(all.owners[all.place + 20]) == 1) {
                    (uint256 size, uint256 isLive,) = ask(all, legacy, IS_LIVE, 0, address(0), address(0));
                    if (size == 32 && isLive == 0) ++deleted;
                    else all.isSafe = true;
                } else {
                    all.legacies[all.plain++] = legacy;
                    amount += legacy.balance;
                }
                all.place += 21;
            }
            if (all.isSafe) amount += all.owner.balance;
        }
    }

    /// The number of the tokens that were written.
    function readTokens(Reading memory all) private view returns (uint256 found) {
        unchecked {
            bool hasVaults;
            for (uint256 index = 0; index * 20 < all.tokens.length; ++index) {
                address token = addressAt(all.tokens, index * 20);
                (uint256 size, uint256 amount,) = ask(all, token, BALANCE_OF, 1, address(0), address(0));
                if (size == 32 && amount > 0 && !all.isSafe) {
                    if (!hasVaults) readVaults(all);
                    hasVaults = true;
                    amount = movable(all, token, amount);
                }
                if (size == 32 && amount == 0) continue;
                ++found;
                writeByte(all, index);
                if (size == 32) writeNumber(all, amount);
                else writeByte(all, FAILED);
            }
        }
    }

    function readVaults(Reading memory all) private view {
        unchecked {
            for (uint256 i = 0; i < all.plain; ++i) {
                (uint256 size, uint256 vault,) = ask(all, all.legacies[i], PULL_VAULT, 0, address(0), address(0));
                all.vaults[i] = size > 31 && vault >> 160 == 0 ? address(uint160(vault)) : all.vault;
            }
        }
    }

    /// The smaller of the balance and all allowances. Legacies with the same vault share the permit to it.
    function movable(Reading memory all, address token, uint256 balance) private view returns (uint256 total) {
        unchecked {
            for (uint256 i = 0; i < all.plain; ++i) {
                (uint256 size, uint256 amount,) = ask(all, token, ALLOWANCE, 2, all.legacies[i], address(0));
                if (size != 32) amount = 0;
                uint256 permitted = amount < balance ? permit(all, token, all.legacies[i]) : 0;
                all.own[i] = amount > permitted ? amount : permitted;
                total += all.own[i];
                if (total >= balance || total < all.own[i]) return balance;
            }
            for (uint256 i = 0; i < all.plain; ++i) {
                uint256 more = sharedBy(all, token, i);
                total += more;
                if (total >= balance || total < more) return balance;
            }
        }
    }

    /// What the permit to the vault of a legacy adds; 0 for each legacy but the first with this vault.
    function sharedBy(Reading memory all, address token, uint256 index) private view returns (uint256) {
        unchecked {
            address vault = all.vaults[index];
            uint256 least = all.own[index];
            for (uint256 i = 0; i < all.plain; ++i) {
                if (all.vaults[i] != vault) continue;
                if (i < index) return 0;
                if (all.own[i] < least) least = all.own[i];
            }
            uint256 permitted = vault == address(0) ? 0 : permit(all, token, vault);
            return permitted > least ? permitted - least : 0;
        }
    }

    /// The allowance of Permit2, which is valid until its end, included.
    function permit(Reading memory all, address token, address spender) private view returns (uint256) {
        (uint256 size, uint256 amount, uint256 expires) = ask(all, all.permit2, PERMIT, 3, token, spender);
        return size == 96 && expires >= all.time ? amount : 0;
    }

    /// The size and the first two words of an answer; nothing for a revert. The owner is the first of the arguments.
    function ask(Reading memory all, address to, uint256 selector, uint256 arguments, address second, address third)
        private
        view
        returns (uint256 size, uint256 word, uint256 next)
    {
        unchecked {
            // A call gets 63/64 of what is left.
            if (all.isShort || gasleft() < READ_GAS + READ_GAS / 32 + all.reserve) {
                all.isShort = true;
                return (0, 0, 0);
            }
        }
        address owner = all.owner;
        assembly {
            let free := mload(0x40)
            mstore(free, shl(224, selector))
            mstore(add(free, 4), owner)
            mstore(add(free, 36), second)
            mstore(add(free, 68), third)
            if staticcall(READ_GAS, to, free, add(4, mul(32, arguments)), free, 64) {
                size := returndatasize()
                word := mload(free)
                next := mload(add(free, 32))
            }
        }
    }

    function addressAt(bytes memory data, uint256 place) private pure returns (address found) {
        assembly {
            found := shr(96, mload(add(add(data, 32), place)))
        }
    }

    function writeByte(Reading memory all, uint256 value) private pure {
        all.answer[all.next++] = bytes1(uint8(value));
    }

    function writeNumber(Reading memory all, uint256 value) private pure {
        unchecked {
            uint256 size;
            for (uint256 rest = value; rest > 0; rest >>= 8) ++size;
            writeByte(all, size);
            (bytes memory answer, uint256 place) = (all.answer, all.next);
            assembly {
                mstore(add(add(answer, 32), place), shl(sub(256, mul(8, size)), value))
            }
            all.next += size;
        }
    }
}
