"""Text, trees and sympy: what an expression is, and how it is read."""
